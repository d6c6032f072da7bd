import { readFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { SentFile } from '../../intake/page-call.ts'
import { SAMPLE_FILES } from '../../surfaces/openapi/examples.ts'
import type { Try } from './tries.ts'

const UNKNOWN_TYPE = 'application/octet-stream'

/** What a visitor has sent: the options, and a file of their own or the sample. */
export async function readTrialForm(
  attempt: Try,
  body: Buffer,
  contentType: string,
): Promise<{ values: Record<string, string>; file: SentFile | undefined }> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
  const values = Object.fromEntries(attempt.fields.map(field => [field.name, readField(field, form.get(field.name))]))
  return { values, file: attempt.file && (await readGivenFile(attempt.file, form)) }
}

function readField({ name, value, choices, maxLength = 100 }: Try['fields'][number], given: unknown): string {
  const text = typeof given === 'string' && given.trim() !== '' ? given : value
  if (choices && !choices.some(([choice]) => choice === text)) throw new Problem('INVALID_PARAM', { field: name })
  if (text.length > maxLength)
    throw new Problem('INVALID_PARAM', { field: name, reason: `It is longer than ${maxLength}.` })
  return text
}

async function readGivenFile({ sample }: NonNullable<Try['file']>, form: FormData): Promise<SentFile> {
  if (form.get('use') === 'sample') {
    return { bytes: await readFile(SAMPLE_FILES.get(sample)!), name: sample, type: UNKNOWN_TYPE }
  }
  const file = form.get('file')
  if (!(file instanceof File) || file.size === 0)
    throw new Problem('INPUT_EMPTY', { reason: 'Choose a file, or use the sample.' })
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : UNKNOWN_TYPE
  return { bytes: Buffer.from(await file.arrayBuffer()), name: file.name.slice(0, 200) || 'file', type }
}
