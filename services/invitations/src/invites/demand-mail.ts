import { refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'

/** @throws ApiError BAD_REQUEST on a server that cannot send mail. */
export const demandMail = ({ hasMail }: Pick<Deps, 'hasMail'>): void => {
  if (!hasMail) throw refuse('BAD_REQUEST', 'This server is not set up to send e-mail.')
}
