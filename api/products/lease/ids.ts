import { Problem } from '#kit'

/** Where callers have each kind of id from. */
const ORIGINS = {
  lse_: 'the lease_id of a lease',
  msg_: 'the message_id of a message',
  hof_: 'the handoff_id of a handoff',
}

/** The UUID behind `lse_`, `msg_` or `hof_` and 32 hexadecimal digits. What has another form is no id of ours. */
export function parseWireId(prefix: keyof typeof ORIGINS, text: string): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex))
    throw new Problem('NOT_FOUND', { reason: `it is ${ORIGINS[prefix]}, which begins with ${prefix}` })
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
