import { messagesTopic } from '../channels/topics.ts'
import { serviceContract } from '../contract.ts'
import { realmLifecycleTopic } from '../identity/realm-lifecycle.ts'
import { botsTopic } from '../identity/topics.ts'
import { dataQuestions } from '../realm-data.ts'
import * as deliveries from './deliveries.ts'
import * as receivers from './receivers.ts'

const { getWebhook, enableWebhook, disableWebhook, rotateWebhookSecret } = receivers
const { listWebhookDeliveries, getWebhookDelivery, redeliverWebhook } = deliveries

export const webhookDispatcher = serviceContract('webhook-dispatcher', {
  endpoints: {
    getWebhook,
    enableWebhook,
    disableWebhook,
    rotateWebhookSecret,
    listWebhookDeliveries,
    getWebhookDelivery,
    redeliverWebhook,
  },
  internals: dataQuestions('webhook-dispatcher'),
  sections: {},
  follows: [botsTopic, messagesTopic, realmLifecycleTopic],
})
