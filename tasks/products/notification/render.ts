import { Check } from 'typebox/schema'
import type { Notification } from '#kit'
import { products } from '../index.ts'

/** What those read for whom a message is not meant. */
const HIDDEN = '(only its recipient is shown this)'

interface Message {
  subject: string
  text: string
}

interface Stored {
  /** The name of the template. */
  name: string
  data: object
}

/** Writes a message to its recipient. `secrets` are the data that were stored encrypted. */
export function renderMessage({ name, data }: Stored, secrets: object, publicUrl: string): Message {
  const template = findTemplate(name)
  const all = { ...data, ...secrets }
  if (!template) throw new Error(`no product declares the notification ${name}`)
  if (!Check(template.data, all)) throw new Error(`the data are not those of the notification ${name}`)
  return { subject: template.subject(all), text: template.text(all, { publicUrl }) }
}

/** The message as the owner of the account reads it; undefined if its template is gone. */
export function renderForOwner(stored: Stored, publicUrl: string): Message | undefined {
  const template = findTemplate(stored.name)
  const hidden = Object.fromEntries((template?.secrets ?? []).map(name => [name, HIDDEN]))
  return template && renderMessage(stored, hidden, publicUrl)
}

function findTemplate(name: string): Notification | undefined {
  return products.map(({ notifications }) => notifications?.[name]).find(template => template !== undefined)
}
