import { ApiError } from '@parley/contracts'
import { sendAs } from '@parley/contracts/channels/internals'
import type { Database } from '@parley/db'
import { type Ask, inTransaction, type Running } from '@parley/kit'
import { Counter } from 'prom-client'
import { realmUrl } from '../realm-url.ts'
import type { Log } from '../room.ts'
import { claimPosts, insertPosts, type NewPost, type Post, postpone, removePost } from './post-store.ts'
import { refusedReplyPosts } from './refused-reply.ts'

const scanMilliseconds = 1000
const batch = 50
/** Seconds for which a message of a bot is tried to be sent: channels was away so long, nobody expects it any more. */
const patience = 3600
const longestPause = 60

/** The client's name that messages of bots carry. */
const clientName = 'OutgoingWebhookResponse'

const posted = new Counter({
  name: 'parley_webhook_posts_total',
  help: 'Messages of bots, by kind and by what became of them.',
  labelNames: ['kind', 'outcome'],
})

export interface Poster extends Running {
  wake(): void
}

/** Sends what bots have to say, each message once: repeated, channels knows it by its name. */
export const startPoster = (parts: { database: Database; ask: Ask; publicUrl: string; log: Log }): Poster => {
  const { database, ask, publicUrl, log } = parts
  const { sql } = database
  let isWorking = false
  let isWanted = true
  let isStopping = false
  let finished = Promise.resolve()

  const finish = async (post: Post, outcome: string, then: readonly NewPost[] = []): Promise<void> => {
    await inTransaction(database, async (tx) => {
      await removePost(tx.sql, post.id)
      await insertPosts(tx.sql, then)
    })
    posted.inc({ kind: post.kind, outcome })
    if (then.length > 0) isWanted = true
  }

  const send = async (post: Post): Promise<void> => {
    const { realm_id, subdomain, bot_id, recipients, content, widget_content, name } = post
    try {
      await ask(sendAs, {
        realm: { id: realm_id, subdomain, url: realmUrl(publicUrl, subdomain) },
        sender_id: bot_id,
        client: clientName,
        to: recipients,
        content,
        ...(widget_content === null ? {} : { widget_content }),
        name,
      })
      await finish(post, 'sent')
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) {
        return finish(post, 'refused', await refusedReplyPosts(sql, publicUrl, post, error.message))
      }
      if (post.age > patience) {
        log.warn({ err: error, post: name }, 'a message of a bot was given up')
        return finish(post, 'given up')
      }
      await postpone(sql, post.id, Math.min(2 ** post.attempts, longestPause))
    }
  }

  const work = async (): Promise<void> => {
    while (isWanted && !isStopping) {
      isWanted = false
      const posts = await claimPosts(sql, batch)
      const outcomes = await Promise.allSettled(posts.map(send))
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'a message of a bot waits')
      }
      if (posts.length === batch) isWanted = true
    }
  }

  const wake = (): void => {
    isWanted = true
    if (isWorking || isStopping) return
    isWorking = true
    finished = work()
      .catch((error) => log.warn({ err: error }, 'no messages of bots could be taken'))
      .finally(() => {
        isWorking = false
      })
  }
  const scan = setInterval(wake, scanMilliseconds)
  return {
    wake,
    async stop() {
      isStopping = true
      clearInterval(scan)
      await finished
    },
  }
}
