import { messagesTopic } from '../channels/topics.ts'
import { serviceContract } from '../contract.ts'
import { botsTopic } from '../identity/topics.ts'
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
  internals: {},
  sections: {},
  follows: [botsTopic, messagesTopic],
})
