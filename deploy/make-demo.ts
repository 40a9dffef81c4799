import { prepareDemo } from './demo.ts'

/** Makes the demo organization in a system that runs already (compose), and prints what to do with it. */
const { PUBLIC_URL, GATEWAY_URL, IDENTITY_URL, SIGNING_KEY } = process.env
if (!PUBLIC_URL || !GATEWAY_URL || !IDENTITY_URL || !SIGNING_KEY) {
  console.error('make-demo: PUBLIC_URL, GATEWAY_URL, IDENTITY_URL and SIGNING_KEY (of manage) must be set')
  process.exit(78)
}
try {
  console.log(await prepareDemo({ url: PUBLIC_URL, origin: GATEWAY_URL, env: { IDENTITY_URL, SIGNING_KEY } }))
  process.exit(0)
} catch (error) {
  console.error('make-demo:', error)
  process.exit(1)
}
