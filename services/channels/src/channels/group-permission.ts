export type { Person } from '../permissions/actor.ts'
