import { type Account, LeadershipLostError, type NumberedRow } from './relay-ledger.ts'

/** An announcement that a borrower has entered into the account, in the transaction that wrote it. */
export type EnteredRow = Omit<NumberedRow, 'seq'>

/** What became of the account: what was entered, in order (nothing: []), or that nobody can tell. */
export type LoanOutcome = readonly EnteredRow[] | 'unknown'

/** The relay's account in somebody's hands. */
export interface Loan {
  readonly account: Account
  /** Has to be called, whatever happened, once the statement has ended. */
  giveBack(outcome: LoanOutcome): void
}

/**
 * Where a statement that announces something can borrow the account of an idle relay, and enter by itself what the relay
 * would enter a round trip and a commit later. It enters its announcements only if it finds the account as it was lent,
 * and nothing visible in the outbox that is not in it: so nothing is overtaken, and of two that know the same account
 * one changes it.
 */
export interface LoanDesk {
  /** Undefined when the relay is at work itself, lends to somebody else, or is not the active one. */
  borrow(): Loan | undefined
}

/** The relay's side of the desk. */
export interface RelayLoans extends LoanDesk {
  /** Lets one statement borrow the account; `ring` is called when it is given back. */
  offer(account: Account, ring: () => void): void
  /**
   * Ends the offer, and answers what was entered. Waits for a borrower, but not for long: others' announcements must not
   * wait for a statement that waits for a lock. Then the relay goes on, and of the two one will find the account changed;
   * what a late borrower did enter is the answer of a later call.
   *
   * @throws LeadershipLostError when what became of the account is unknown: it has to be read again.
   */
  recall(): Promise<readonly EnteredRow[]>
  /** Forgets what is lent, when the account is going to be read again. */
  close(): void
}

/** Milliseconds that the relay waits for its account at most. */
const patience = 250

export const relayLoans = (): RelayLoans => {
  let offered: { readonly account: Account; readonly ring: () => void } | undefined
  let lent: Promise<LoanOutcome> | undefined
  return {
    borrow() {
      if (offered === undefined) return undefined
      const { account, ring } = offered
      offered = undefined
      const { promise, resolve } = Promise.withResolvers<LoanOutcome>()
      lent = promise
      return {
        account,
        giveBack(outcome) {
          resolve(outcome)
          ring()
        },
      }
    },
    offer(account, ring) {
      if (lent === undefined) offered = { account, ring }
    },
    async recall() {
      offered = undefined
      if (lent === undefined) return []
      let timer: NodeJS.Timeout | undefined
      const impatience = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), patience)
      })
      const outcome = await Promise.race([lent, impatience])
      clearTimeout(timer)
      if (outcome === undefined) return []
      lent = undefined
      if (outcome === 'unknown') throw new LeadershipLostError()
      return outcome
    },
    close() {
      offered = undefined
      lent = undefined
    },
  }
}
