/**
 * What spans say of themselves, each name once: those of OpenTelemetry's semantic conventions, and our own, which begin with
 * `parley.`. A value is never what somebody wrote, a secret, or an address with parameters.
 */
export const attributes = {
  serviceName: 'service.name',
  serviceNamespace: 'service.namespace',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  serverAddress: 'server.address',
  errorType: 'error.type',
  dbSystem: 'db.system.name',
  dbOperation: 'db.operation.name',
  messagingSystem: 'messaging.system',
  destination: 'messaging.destination.name',
  messagingOperation: 'messaging.operation.type',
  consumerGroup: 'messaging.consumer.group.name',
  batchSize: 'messaging.batch.message_count',
  storeOperation: 'parley.object_store.operation',
  errorCode: 'parley.error.code',
  eventType: 'parley.event.type',
  eventQueue: 'parley.event.queue',
  deliveryId: 'parley.delivery_id',
  /** Of a long-poll, whose answer is most often that nothing happened. */
  isPoll: 'parley.is_poll',
} as const
