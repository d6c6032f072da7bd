import { Problem } from '#kit'

const WORKFLOW_ID = /^[A-Za-z0-9._-]{1,128}$/

/** `.` and `..` cannot be part of an address. */
export function requireWorkflowId(text: string): string {
  if (!WORKFLOW_ID.test(text) || /^\.\.?$/.test(text)) {
    throw new Problem('INVALID_WORKFLOW_ID', { max: 128, allowed: 'A-Z a-z 0-9 . _ -' })
  }
  return text
}
