import { messagesTopic } from '../channels/topics.ts'
import { serviceContract } from '../contract.ts'
import { realmsTopic } from '../identity/topics.ts'
import * as attachments from './attachments.ts'
import * as files from './files.ts'
import * as sections from './sections.ts'

export const uploads = serviceContract('uploads', {
  endpoints: { ...files, ...attachments },
  internals: {},
  sections,
  follows: [realmsTopic, messagesTopic],
})
