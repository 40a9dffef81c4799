import type { Running } from '@parley/kit'
import { noticeWork } from '../notices/send-notices.ts'
import { recentActivityWork } from '../recent-activity/recent-activity.ts'
import { reminderWork } from '../reminders/send-reminders.ts'
import { removalWork } from '../removals/remove-messages.ts'
import { retentionWork } from '../retention/expire-messages.ts'
import type { Deps } from '../room.ts'
import { scheduledMessageWork } from '../scheduled-messages/send-scheduled-messages.ts'
import { startDueWork } from './due-work.ts'

/** Everything that this service does at a time, not at a request. Every process may do all of it. */
export const startSchedulers = (deps: Deps): Running[] =>
  [scheduledMessageWork, reminderWork, noticeWork, retentionWork, removalWork, recentActivityWork].map(
    (work) => startDueWork(work(deps), deps),
  )
