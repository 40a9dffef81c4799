import { renderMessageText as contract } from '@parley/contracts/channels/submessages'
import { demandModestRendering, messageContent } from '../messages/message-rules.ts'
import { renderText } from '../messages/render-text.ts'
import { endpoint } from '../room.ts'

export const renderMessageText = endpoint(contract, async ({ params, caller, deps }) => {
  const content = messageContent(params.content)
  const { rendered } = await renderText(deps, caller.realm, content, { author: caller.user })
  demandModestRendering(rendered.html)
  return { rendered: rendered.html }
})
