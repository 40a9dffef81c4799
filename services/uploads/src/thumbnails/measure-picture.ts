import { buffer } from 'node:stream/consumers'
import { setTimeout as passing } from 'node:timers/promises'
import { ApiError } from '@parley/contracts'
import type { FileRow } from '../files/file-store.ts'
import type { Deps } from '../room.ts'
import { mayBeDrawn } from './thumbnail-rules.ts'

/** Milliseconds for which an upload waits to learn how large its picture is. */
const patience = 5000

export type PictureFacts = Pick<FileRow, 'width' | 'height' | 'frames'>

export const noPicture: PictureFacts = { width: null, height: null, frames: null }

/** Looks into a stored file that says that it is a picture. What is none, or takes too long, is a file like any other. */
export const measurePicture = async (
  { store, workshop, log }: Pick<Deps, 'store' | 'workshop' | 'log'>,
  key: string,
  file: Pick<FileRow, 'content_type' | 'size'>,
): Promise<PictureFacts> => {
  if (!mayBeDrawn(file)) return noPicture
  const look = async (): Promise<PictureFacts> => {
    const stream = await store.get(key)
    if (stream === undefined) return noPicture
    const { facts } = await workshop.draw(await buffer(stream), [])
    return { width: facts.width, height: facts.height, frames: facts.frames }
  }
  const over = new AbortController()
  try {
    const late = passing(patience, noPicture, { signal: over.signal, ref: false })
    return await Promise.race([look(), late])
  } catch (error) {
    if (!(error instanceof ApiError)) log.warn({ err: error, key }, 'a picture was not measured')
    return noPicture
  } finally {
    over.abort()
  }
}
