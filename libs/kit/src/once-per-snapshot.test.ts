import type { SnapshotSql } from '@parley/db'
import { expect, it } from 'vitest'
import { oncePerSnapshot } from './once-per-snapshot.ts'

it('reads once in a snapshot for the same question, whoever asks first, and anew in another', async () => {
  const asked: string[] = []
  const read = oncePerSnapshot(async (_: SnapshotSql, realm: number, who: string) => {
    asked.push(`${realm} ${who}`)
    return asked.length
  })
  const [one, other] = [{}, {}] as SnapshotSql[]
  const questions = [read(one!, 1, 'a'), read(one!, 1, 'a'), read(one!, 2, 'a'), read(other!, 1, 'a')]
  expect(await Promise.all(questions)).toEqual([1, 1, 2, 3])
  expect(asked).toEqual(['1 a', '2 a', '1 a'])
})
