/**
 * Loaded into each service of a bench that profiles (`--import`): the first SIGUSR2 begins a CPU profile, the next one
 * writes it to PROFILE_DIR under the name of the service, each with its number.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { basename, dirname, join } from 'node:path'

const folder = process.env.PROFILE_DIR!
const main = process.argv[1] ?? ''
const session = new Session()
let isRunning = false
let written = 0

process.on('SIGUSR2', async () => {
  if (!isRunning) {
    isRunning = true
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    return
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  isRunning = false
  mkdirSync(folder, { recursive: true })
  const service = basename(dirname(dirname(main)))
  written += 1
  writeFileSync(join(folder, `${service}-${process.pid}-${written}.cpuprofile`), JSON.stringify(profile))
})
