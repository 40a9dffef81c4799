import { ApiError } from '@parley/contracts'
import type { StreamedReply } from '@parley/kit'
import { page, problem } from './page.ts'

/** A page for what keeps somebody out; what nobody foresaw is not for this page to hide. */
export const refusalPage = (error: unknown, title = 'This does not work'): StreamedReply => {
  if (!(error instanceof ApiError)) throw error
  return page(title, problem(error.message), error.status)
}
