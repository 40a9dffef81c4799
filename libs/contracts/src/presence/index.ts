import { serviceContract } from '../contract.ts'

export const presence = serviceContract('presence', { endpoints: {}, internals: {}, sections: {} })
