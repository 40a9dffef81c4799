export {
  type Answer,
  Client,
  type Credentials,
  encodeParameters,
  type Parameters,
  succeeded,
} from './client.ts'
export { differences } from './client-model/comparison.ts'
export { withMessages } from './client-model/held-messages.ts'
export { applyEvent, entries, entryKey, type State } from './client-model/model.ts'
export { EventReader, type ReceivedEvent } from './event-reader.ts'
export { eventually } from './eventually.ts'
export { seededRandom } from './seeded-random.ts'
export { type ReceivedSpan, startTraceReceiver } from './trace-receiver.ts'
export { type StackAddress, stackFromEnvironment, type TestUser, World } from './world.ts'
