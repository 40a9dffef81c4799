import { ApiError, type ErrorName } from '@parley/contracts'
import { logIn as contract } from '@parley/contracts/gateway/sessions'
import { fetchApiKey } from '@parley/contracts/identity/accounts'
import { logInAttempt } from '../limits/log-in-attempt.ts'
import { ownEndpoint } from '../own-endpoint.ts'
import { askEndpoint, type EndpointAnswer } from '../proxy/ask-endpoint.ts'
import { openSession } from './open-session.ts'

/**
 * Asks identity for the API key and drops it: so that whatever decides over one way of logging in (passwords, LDAP,
 * deactivation, limits) decides over the other too.
 */
export const logIn = ownEndpoint(contract, async ({ params, visit, deps }) => {
  const { exchange, realm, caller } = visit
  const route = { operation: 'fetchApiKey', service: fetchApiKey.service, endpoint: fetchApiKey }
  const who = { realmId: realm.caller.id, userName: params.username }
  let answer: EndpointAnswer | undefined
  await logInAttempt(deps, who, async () => {
    answer = await askEndpoint(deps, exchange, { route, caller, form: new URLSearchParams(params) })
    return answer.status
  })
  const { status, body } = answer!
  if (status !== 200) {
    const { msg, code, result: _result, ...fields } = body
    throw new ApiError(code as ErrorName, String(msg), fields)
  }
  const reply = { user_id: Number(body.user_id), email: String(body.email) }
  return { reply, headers: await openSession(deps, visit, reply.user_id) }
})
