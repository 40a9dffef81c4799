import { buffer } from 'node:stream/consumers'
import { fileTooLarge, refuse } from '@parley/contracts'
import type { RequestFacts } from '@parley/kit'
import { findingOf, measured } from '../objects/measured.ts'

const mib = 1024 * 1024

/**
 * The one image of a form, in memory: it is small.
 *
 * @throws ApiError BAD_REQUEST when there is not exactly one (`finding` is the sentence then), it is too large, or breaks off.
 */
export const sentImage = async (
  request: RequestFacts,
  {
    mebibytes,
    finding,
    onField,
  }: { mebibytes: number; finding: string; onField?: (name: string, value: string) => void },
): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > (mebibytes + 1) * mib) throw fileTooLarge(mebibytes)
  let image: Buffer | undefined
  for await (const { name, content } of request.files(onField)) {
    if (name === undefined) continue
    if (image !== undefined) throw refuse('BAD_REQUEST', finding)
    image = await buffer(measured(content, mebibytes)).catch((error: unknown) => {
      throw findingOf(error)
    })
  }
  if (image === undefined) throw refuse('BAD_REQUEST', finding)
  return image
}
