/** Where a launcher's lines for people go. */
export type Log = (line: string) => void

const quietFor = 2_000
const everyMs = 10_000

/**
 * Runs `work` and tells about it when it takes longer than two seconds: at first, then every ten seconds with
 * the time so far, and at the end.
 */
export async function withProgress<T>(log: Log, what: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now()
  const soFar = () => `${Math.round((Date.now() - began) / 1000)} s`
  let told = false
  const tell = () => {
    log(told ? `${what} ... ${soFar()} so far` : `${what} ...`)
    told = true
  }
  let repeated: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    tell()
    repeated = setInterval(tell, everyMs)
  }, quietFor)
  try {
    const result = await work()
    if (told) log(`${what}: done in ${soFar()}`)
    return result
  } finally {
    clearTimeout(first)
    clearInterval(repeated)
  }
}
