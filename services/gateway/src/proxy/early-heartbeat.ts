/**
 * The answer to a long-poll that has to end before anything happened, because this gateway leaves. Its heartbeat
 * repeats the ID that the client acknowledged last, so that acknowledging it again loses no event; what event-queue
 * may be sending at this moment stays unacknowledged and is sent again.
 */
export const earlyHeartbeat = (url: string): Record<string, unknown> => {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const last = Number(query.get('last_event_id') ?? '-1')
  return {
    result: 'success',
    msg: '',
    events: [{ type: 'heartbeat', id: Number.isSafeInteger(last) ? last : -1 }],
    queue_id: query.get('queue_id') ?? '',
  }
}
