import { newId } from '#kit'

/** The key of a file that is stored for one call. It names the call, so that the file can be removed when that is over. */
export function stageKey(callId: string): string {
  return `stage/${callId}/${newId()}`
}
