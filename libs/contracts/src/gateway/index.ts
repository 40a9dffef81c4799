import { serviceContract } from '../contract.ts'

export const gateway = serviceContract('gateway', { endpoints: {}, internals: {}, sections: {} })
