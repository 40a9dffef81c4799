import { limits } from '@parley/contracts'
import { readRealm as readChannels } from '@parley/contracts/channels/archive-questions'
import {
  type ArchiveManifest,
  type ArchiveScope,
  type DataHolder,
  dataHolders,
  dataQuestions,
  PartSummary,
} from '@parley/contracts/realm-data'
import type { Ask } from '@parley/kit'
import { BrokenArchiveError, TarReader, tarEnd, tarHeader, tarPadding } from '@parley/kit/tar'

/** Reads one service's part, from wherever it is. */
export type ReadPart = (
  service: DataHolder,
  realmId: number,
  scope: ArchiveScope,
) => Promise<AsyncIterable<Uint8Array>>

/** Asks the others, and reads its own by `own`. */
export const readingParts =
  (ask: Ask, own: (realmId: number, scope: ArchiveScope) => AsyncIterable<Uint8Array>): ReadPart =>
  async (service, realm_id, scope) => {
    if (service === 'identity') return own(realm_id, scope)
    const question = service === 'channels' ? readChannels : dataQuestions(service).readRealm
    return ask(question, { realm_id, ...scope })
  }

/**
 * The archive of an organization as it is written: each service's part after the other, then the manifest. Nothing of it
 * is held but the summaries.
 *
 * @throws BrokenArchiveError when a part breaks off.
 */
export async function* archiveOf(
  read: ReadPart,
  realm: ArchiveManifest['realm'],
  scope: ArchiveScope,
): AsyncGenerator<Buffer> {
  const exported_at = new Date().toISOString()
  const parts: PartSummary[] = []
  let entries = 0
  for (const service of dataHolders) {
    let summary: PartSummary | undefined
    const reader = new TarReader({
      wants: ({ name }) => name === `${service}/part.json`,
      onEntry: (_entry, _sha256, content) => {
        entries += 1
        if (content !== undefined) summary = PartSummary.parse(JSON.parse(content.toString()))
      },
    })
    for await (const chunk of await read(service, realm.id, scope)) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      await reader.take(bytes)
      yield bytes
    }
    reader.end()
    // The summary is the last that a service says: without it something is missing.
    if (summary === undefined) throw new BrokenArchiveError(`the part of ${service} breaks off`)
    parts.push(summary)
  }
  const manifest: ArchiveManifest = {
    format: 'parley-organization-1',
    feature_level: limits.featureLevel,
    export_type: scope.export_type,
    realm,
    exported_at,
    parts,
    entries,
  }
  const content = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield tarHeader('manifest.json', content.length)
  yield content
  yield tarPadding(content.length)
  yield tarEnd()
}
