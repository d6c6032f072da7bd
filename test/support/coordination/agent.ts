import { openBatonOwner } from '../stack/baton-owner.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'

/** An account with a million micros that calls the bridge. */
export async function openCoordinatingAgent(api: InProcessApi) {
  const owner = await openBatonOwner(api)
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, headers = {}) => {
    const reply = await owner.call(method, `/v1/bridge/${path}`, payload, headers)
    return { status: reply.statusCode, body: reply.json() }
  }
  const release = (name: string, token: string) => ask('DELETE', `locks/${name}?token=${token}`)
  return { ...owner, ask, release, lock: (name: string, body: object = {}) => ask('POST', `locks/${name}`, body) }
}
