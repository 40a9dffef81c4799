export type { Person, SystemGroups } from '../permissions/actor.ts'
