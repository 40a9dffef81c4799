import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startDataDir } from './checkout.ts'
import { readState, stateFile, stopRecorded } from './machine/ledger.ts'
import { stillRuns } from './machine/process-identity.ts'

/** `npm stop`: ends what `npm start` started, cleanly, and resolves when nothing of it runs. */
const patience = 60_000

const state = readState(startDataDir)
if (state === undefined) {
  console.log('Parley is not running here.')
} else {
  const until = Date.now() + patience
  if (stillRuns(state.launcher)) process.kill(state.launcher.pid, 'SIGTERM')
  while (stillRuns(state.launcher) && Date.now() < until) await pause(50)
  if (stillRuns(state.launcher)) process.kill(state.launcher.pid, 'SIGKILL')
  // Nothing is left to end after a clean stop; everything is when the launcher had been killed.
  await stopRecorded(state)
  if (readState(startDataDir)?.launcher.pid === state.launcher.pid) rmSync(stateFile(startDataDir))
  console.log('Stopped.')
}
