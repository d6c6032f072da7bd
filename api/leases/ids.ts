import { Problem } from '#kit'

const WORKFLOW_ID = /^[A-Za-z0-9._-]{1,128}$/

/** `.` and `..` cannot be part of an address. */
export function requireWorkflowId(text: string): string {
  if (!WORKFLOW_ID.test(text) || /^\.\.?$/.test(text)) {
    throw new Problem('INVALID_WORKFLOW_ID', { max: 128, allowed: 'A-Z a-z 0-9 . _ -' })
  }
  return text
}

/** The UUID behind `lse_`, `msg_` or `hof_` and 32 hexadecimal digits. What has another form is no id of ours. */
export function parseWireId(prefix: 'lse_' | 'msg_' | 'hof_', text: string): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
