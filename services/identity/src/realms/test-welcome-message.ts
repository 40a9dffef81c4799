import { sendWelcomeMessage } from '@parley/contracts/channels/notice-questions'
import { testWelcomeMessage as contract } from '@parley/contracts/identity/welcome'
import { endpoint } from '../room.ts'

export const testWelcomeMessage = endpoint(contract, ({ caller, params, deps }) =>
  deps.ask(sendWelcomeMessage, {
    realm: caller.realm,
    user_id: caller.user.id,
    text: params.welcome_message_custom_text,
  }),
)
