import type { StoredNotification } from '../../../sql/notification/outbox.ts'
import { renderForOwner } from '../../../tasks/products/notification/index.ts'

/** A message as its owner reads it. */
export function showNotification({ data, ...facts }: StoredNotification, publicUrl: string) {
  const message = renderForOwner({ name: facts.name, data }, publicUrl)
  return { ...facts, subject: message?.subject ?? facts.name, text: message?.text ?? null }
}
