/** A moment of one database, as `pg_current_snapshot()` tells it: which transactions its reader could see. */
export interface Snapshot {
  /** The lowest transaction ID that was still running. */
  readonly xmin: number
  /** The first transaction ID not yet given out. */
  readonly xmax: number
  /** Running transactions between the two. */
  readonly xip: readonly number[]
}

/** Reads PostgreSQL's text form, `xmin:xmax:xip,xip`. */
export const parseSnapshot = (text: string): Snapshot => {
  const [xmin, xmax, running] = text.split(':')
  return {
    xmin: Number(xmin),
    xmax: Number(xmax),
    xip: running === undefined || running === '' ? [] : running.split(',').map(Number),
  }
}

/** Whether a reader of this snapshot saw what the (committed) transaction did. */
export const isVisible = (xid: number, snapshot: Snapshot): boolean =>
  xid < snapshot.xmin || (xid < snapshot.xmax && !snapshot.xip.includes(xid))
