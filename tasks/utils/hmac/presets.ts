import { readKey, readMac } from '../../formats/encodings/secret-key.ts'

export const PRESETS = ['svc-webhook', 'standard-webhooks', 'github', 'stripe', 'slack'] as const
export type Preset = (typeof PRESETS)[number]

/** The signed text before the body, and the signatures of which any may match. */
interface Delivery {
  prefix: string
  signatures: Buffer[]
}

interface Refusal {
  reason: 'header' | 'timestamp'
}

interface Parts {
  timestamp?: string
  prefix: string
  signatures: string[]
}

/** How each sender formats its headers; a missing header reads as empty. */
const READERS: Record<Preset, (header: (name: string) => string) => Parts> = {
  'svc-webhook': header => {
    const timestamp = header('x-service-timestamp')
    return { timestamp, prefix: `${timestamp}.`, signatures: readAfterPrefix('sha256=', header('x-service-signature')) }
  },
  'standard-webhooks': header => {
    const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
    const signatures = header('webhook-signature').split(/\s+/)
    return {
      ...{ timestamp, prefix: `${id}.${timestamp}.` },
      signatures: id === '' ? [] : signatures.flatMap(item => readAfterPrefix('v1,', item)),
    }
  },
  github: header => ({ prefix: '', signatures: readAfterPrefix('sha256=', header('x-hub-signature-256')) }),
  stripe: header => {
    const items = header('stripe-signature')
      .split(',')
      .map(item => item.trim())
    const timestamp = items.flatMap(item => readAfterPrefix('t=', item))[0] ?? ''
    return { timestamp, prefix: `${timestamp}.`, signatures: items.flatMap(item => readAfterPrefix('v1=', item)) }
  },
  slack: header => {
    const timestamp = header('x-slack-request-timestamp')
    return { timestamp, prefix: `v0:${timestamp}:`, signatures: readAfterPrefix('v0=', header('x-slack-signature')) }
  },
}

function readAfterPrefix(start: string, value: string): string[] {
  return value.startsWith(start) ? [value.slice(start.length)] : []
}

function encodingOf(preset: Preset): 'base64' | 'hex' {
  return preset === 'standard-webhooks' ? 'base64' : 'hex'
}

/** The secrets of Standard Webhooks are base64 after their prefix; those of others are used as they are written. */
export function readDeliveryKey(preset: Preset, key: string): Buffer | undefined {
  const secret = /^\s*whsec_(.+)$/s.exec(key)?.[1]
  return preset === 'standard-webhooks' && secret !== undefined ? readKey(secret, 'base64') : undefined
}

export function readDelivery(
  preset: Preset,
  headers: Record<string, string>,
  now: Date,
  toleranceSec: number,
): Delivery | Refusal {
  const lowered = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]))
  const parts = READERS[preset](name => lowered.get(name) ?? '')
  if (parts.signatures.length === 0) return { reason: 'header' }
  const { timestamp, prefix } = parts
  if (timestamp !== undefined) {
    if (!/^\d{1,12}$/.test(timestamp)) return { reason: 'header' }
    const ageSec = Math.floor(now.getTime() / 1000) - Number(timestamp)
    if (Math.abs(ageSec) > toleranceSec) return { reason: 'timestamp' }
  }
  return { prefix, signatures: parts.signatures.map(signature => readMac(signature, encodingOf(preset))) }
}
