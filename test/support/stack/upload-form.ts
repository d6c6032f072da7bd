import type { InProcessApi } from './in-process-api.ts'

/** Sends a file by a form that the service has given out. */
export async function sendForm(
  { app }: InProcessApi,
  { url, fields }: { url: string; fields: Record<string, string> },
  content: Buffer,
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(content)]), 'a')
  const request = new Request('http://x', { method: 'POST', body: form })
  return app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { 'content-type': request.headers.get('content-type')! },
    payload: Buffer.from(await request.arrayBuffer()),
  })
}
