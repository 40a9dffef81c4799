import { rmSync } from 'node:fs'
import { readState, stateFile, stopRecorded } from './ledger.ts'

/**
 * Runs beside a launcher, holding one end of a pipe: when the launcher is gone (the pipe ends), whatever it has
 * not ended itself is ended here. So not even SIGKILL of the launcher leaves anything running.
 *
 *     node guardian.ts <data folder> <launcher's pid>
 */
const [dataDir, launcher] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.stdin.resume()
process.stdin.once('end', async () => {
  const state = readState(dataDir!)
  if (state?.launcher.pid !== Number(launcher)) return
  await stopRecorded(state)
  if (readState(dataDir!)?.launcher.pid === Number(launcher)) rmSync(stateFile(dataDir!), { force: true })
})
