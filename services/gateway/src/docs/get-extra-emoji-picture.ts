import { getExtraEmojiPicture as contract } from '@parley/contracts/gateway/docs'
import { ownEndpoint } from '../own-endpoint.ts'
import { cachedFile } from './cached-file.ts'

/** A PNG of 64 by 64 pixels: a speech bubble. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAMFBMVEVMaXFabeFabuFabeFWctlabeFbbeFZbeFbbuH///++xfPz' +
    '9P2XpOzf4/p7i+doeePIU7nKAAAACHRSTlMAjirxB9S7TaSmc7gAAAAJcEhZcwAACxMAAAsTAQCanBgAAADpSURBVEjHY2AYBTCg' +
    'GNyBFZgKQeQdO3ACEZA8SwZuBW0OQAWMHXiAAFCBBj4FTUAFEvgUNAIVROBT0ApUYIFPQTNQQQdeQF0FM5HAIFCwB48v+lfOnDn3' +
    'BR4Fb4EGrMATDj0oFmAqAFvwA4+C16gWYCjoAsrvwxMX/Tdnzpz1A4+C00ADTuCJTZAF9/DEZh+mBagKTg+u6J5JUqIlmHEIZj2C' +
    'mZdg9idYgBAsgggWYoSLQQhAuBoHgIRLAQEFRgz4FbQqEFCQwoBfQaMDAQUCDPgVmOOvNDqaFQgoCCJQ7bQ5EFAgMIjrTACkfJNE' +
    'd5BlawAAAABJRU5ErkJggg==',
  'base64',
)
const file = cachedFile('image/png', picture)

export const getExtraEmojiPicture = ownEndpoint(contract, async ({ visit }) =>
  file(visit.exchange.request.headers['if-none-match']),
)
