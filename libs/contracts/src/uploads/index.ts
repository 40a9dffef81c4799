import { messageChangesTopic, messagesTopic } from '../channels/topics.ts'
import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import { realmsTopic } from '../identity/topics.ts'
import * as archiveQuestions from './archive-questions.ts'
import * as attachments from './attachments.ts'
import * as avatars from './avatars.ts'
import * as emoji from './emoji.ts'
import * as files from './files.ts'
import * as images from './images.ts'
import * as internals from './internals.ts'
import * as realmPictures from './realm-pictures.ts'
import * as sections from './sections.ts'
import * as thumbnails from './thumbnails.ts'
import { emojiTopic } from './topics.ts'
import * as tus from './tus.ts'

export const uploads = serviceContract('uploads', {
  endpoints: {
    ...files,
    ...attachments,
    ...avatars,
    ...images,
    ...emoji,
    ...tus,
    ...thumbnails,
    ...realmPictures,
  },
  internals: { ...internals, ...archiveQuestions },
  sections,
  writes: [emojiTopic],
  follows: [realmsTopic, messagesTopic, messageChangesTopic, realmLifecycleTopic],
})
