import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Show HTML of strangers safely',
  lead: 'Comments, mails and pasted text can carry scripts. This keeps only what a profile allows, and reads the result again as a browser would until nothing changes any more.',
  keywords: 'sanitize, xss, html, comments, dompurify, user content',
  steps: [
    {
      call: 'text.sanitize-html',
      input: {
        text: '<p onclick="x()">Hi<script>alert(1)</script> <a href="javascript:x()">you</a> <b>there</b></p>',
        profile: 'basic',
      },
    },
  ],
  pitfalls: [
    'Sanitize when you show, not only when you store: what counts as safe changes with browsers.',
    'Images are removed in `strict` and `basic`, because loading one tells its server who reads. `rich` keeps them.',
    'The result is safe inside an element. It is not safe inside an attribute or a script.',
    '`removed` lists what was taken out, which is useful as a warning to the author.',
  ],
})
