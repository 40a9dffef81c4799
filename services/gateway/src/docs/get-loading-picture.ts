import { getLoadingPicture as contract } from '@parley/contracts/gateway/docs'
import { ownEndpoint } from '../own-endpoint.ts'
import { cachedFile } from './cached-file.ts'

const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
<g fill="none" stroke="#000" stroke-width="6" stroke-linecap="round">
<circle cx="32" cy="32" r="24" opacity=".15"/>
<path d="M56 32a24 24 0 0 0-24-24">
<animateTransform attributeName="transform" type="rotate" from="0 32 32" to="360 32 32" dur="1s" repeatCount="indefinite"/>
</path>
</g>
</svg>
`
const file = cachedFile('image/svg+xml', Buffer.from(picture))

export const getLoadingPicture = ownEndpoint(contract, async ({ visit }) =>
  file(visit.exchange.request.headers['if-none-match']),
)
