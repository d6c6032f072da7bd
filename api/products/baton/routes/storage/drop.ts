import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/drop',
  preset: 'drop',
  summary: 'Store a file, to be read until it expires.',
  keywords:
    'store something for a day, keep something for an hour and then delete it, keep it until a time and then it is gone, store json for some hours, temporary file, file hosting, share a file, store a file for a while, pastebin, dead drop, save a file for a week, keep a file for some days, keep a text and give a colleague a token that can only read it',
  example: { tier: 'femto', content: 'A report' },
})
