import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/pass',
  preset: 'pass',
  summary: 'Share a file by a token that can be read once; then the file is deleted.',
  keywords:
    'burn after reading, one-time secret, read once, self-destructing message, share a password, one-time link, share a note, store a file that is read once and then gone, store something once for another agent',
  example: { tier: 'femto', content: 'A secret', tokens: [{ type: 'read', reads_allowed: 1 }] },
})
