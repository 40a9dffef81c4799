import { serviceContract } from '../contract.ts'

export const invitations = serviceContract('invitations', { endpoints: {}, internals: {}, sections: {} })
