import { openListener } from '../../../sql/db.ts'
import { type InProcessApi, openInProcessApi } from './in-process-api.ts'

/** An api in this process that wakes calls that wait, as the database notifies it. */
export async function openWakingApi(env: Record<string, string> = {}): Promise<InProcessApi> {
  const api = await openInProcessApi(env)
  const { config, longPolls } = api.context
  const isListening = Promise.withResolvers<void>()
  const channels = { long_polls: (key: string) => longPolls.wake(key) }
  const listener = openListener(config.databaseUrl!, 'test', channels, isListening.resolve)
  await isListening.promise
  const close = async () => {
    await listener.close()
    await api[Symbol.asyncDispose]()
  }
  return { ...api, [Symbol.asyncDispose]: close }
}
