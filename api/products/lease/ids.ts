import { Problem } from '#kit'

/** The UUID behind `lse_`, `msg_` or `hof_` and 32 hexadecimal digits. What has another form is no id of ours. */
export function parseWireId(prefix: 'lse_' | 'msg_' | 'hof_', text: string): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
