export interface Envelope {
  inline?: string
  outputUrl?: string
  sizeBytes: number
  contentType: string
}

/** The bytes of an output, as a caller gets them. */
export async function fetchOutput({ inline, outputUrl }: Envelope): Promise<Buffer | undefined> {
  if (inline !== undefined) return Buffer.from(inline, 'base64')
  const reply = await fetch(outputUrl!)
  return reply.ok ? Buffer.from(await reply.arrayBuffer()) : undefined
}
