export interface Envelope {
  inline?: string
  outputUrl?: string
  sizeBytes: number
  contentType: string
}

/** The bytes of an output as its caller would get them. */
export async function fetched({ inline, outputUrl }: Envelope): Promise<Buffer | undefined> {
  if (inline !== undefined) return Buffer.from(inline, 'base64')
  const reply = await fetch(outputUrl!)
  return reply.ok ? Buffer.from(await reply.arrayBuffer()) : undefined
}
