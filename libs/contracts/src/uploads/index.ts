import { serviceContract } from '../contract.ts'

export const uploads = serviceContract('uploads', { endpoints: {}, internals: {}, sections: {} })
