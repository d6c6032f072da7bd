import { throwTranslated } from './db.ts'
import { type ConnectionOptions, ReconnectingClient } from './reconnecting.ts'

/** A connection of its own whose errors are what they mean: problems, or that the database cannot be reached. */
export class Connection extends ReconnectingClient {
  constructor(url: string, name: string, options: ConnectionOptions = {}) {
    super(url, name, { ...options, translate: throwTranslated })
  }
}

/** Listens to notifications. `onConnect` is called after every (re)connection, because some may have been missed. */
export function openListener(
  url: string,
  name: string,
  channels: Record<string, (payload: string) => void>,
  onConnect: () => void,
): Connection {
  const connection = new Connection(url, `${name} listener`, {
    onConnect: async client => {
      client.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      await client.query(
        Object.keys(channels)
          .map(channel => `listen ${channel}`)
          .join('; '),
      )
      onConnect()
    },
  })
  void connection.keepConnecting()
  return connection
}
