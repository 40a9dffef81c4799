import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresFolder } from './postgres.ts'

/** Deletes what the engines of a launcher's folder have stored, wherever it is, with the secrets that belong to it. */
export async function discardEngineData(dataDir: string): Promise<void> {
  const outside = await postgresFolder(join(dataDir, 'data'))
  for (const path of [outside, join(dataDir, 'data'), join(dataDir, 'secrets.json')]) {
    if (path !== undefined) await rm(path, { recursive: true, force: true })
  }
}
