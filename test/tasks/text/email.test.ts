import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

type Answer = Awaited<ReturnType<typeof runOperation>> & {
  attachments: { name: string; contentType: string; isInline: boolean; contentId?: string; sizeBytes: number }[]
  files?: { name: string; contentType: string; outputKey: string }[]
  warnings?: { code: string }[]
}

const read = async (text: string, options = {}) =>
  (await runOperation('text.email', { text, ...options })) as unknown as Answer
const readBytes = async (bytes: Buffer, options = {}) =>
  (await runOperation('text.email', { file: { inline: bytes.toString('base64') }, ...options })) as unknown as Answer
const codes = ({ warnings = [] }: Answer) => warnings.map(({ code }) => code)

const STORY = `Received: from mx.example by relay.example; Sat, 14 Mar 2026 10:00:01 +0100
From: =?utf-8?q?J=C3=B6rg_M=C3=BCller?= <joerg@example.com>
To: "Doe, Ada" <ada@example.com>, crew: bo@example.com, Cy <cy@example.com>;
Cc: =?iso-8859-1?q?Ren=E9?= <rene@example.com>
Date: Sat, 14 Mar 2026 10:00:00 +0100 (CET)
Subject: =?utf-8?B?w5Zs?=
 =?utf-8?B?IGJlc3RlbGxlbg==?=
Message-ID: <1@example.com>
In-Reply-To: <0@example.com>
References: <a@example.com>
 <0@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_b/1"

This is a message in MIME format.
--=_b/1
Content-Type: multipart/related; boundary=rel

--rel
Content-Type: multipart/alternative; boundary=alt

--alt
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

F=FCr die K=FCche =
zwei.
--alt
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

${Buffer.from('<p>Für die <b>Küche</b> zwei.</p><img src="cid:logo@x">').toString('base64')}
--alt--
--rel
Content-Type: image/png
Content-ID: <logo@x>
Content-Disposition: inline
Content-Transfer-Encoding: base64

iVBORw==
--rel--
--=_b/1
Content-Type: application/pdf; name*=utf-8''%e2%82%ac.pdf
Content-Disposition: attachment; filename*0*=utf-8''%e2%82%ac%20;
 filename*1=list.pdf
Content-Transfer-Encoding: base64

JVBERi0=
--=_b/1
Content-Type: text/plain; name="../../etc/passwd"
Content-Disposition: attachment; filename="..\\\\..\\\\etc/passwd"

root
--=_b/1
Content-Type: message/rfc822

From: inner@example.com
Subject: inside
Content-Type: multipart/mixed; boundary=in

--in
Content-Disposition: attachment; filename=deep.txt

deep
--in--
--=_b/1--
`

describe('a mail', () => {
  test('is its people, dates and texts, decoded', async () => {
    const mail = await read(STORY)
    expect(mail).toMatchObject({
      subject: 'Öl bestellen',
      from: [{ name: 'Jörg Müller', address: 'joerg@example.com' }],
      to: [
        { name: 'Doe, Ada', address: 'ada@example.com' },
        { address: 'bo@example.com', group: 'crew' },
        { name: 'Cy', address: 'cy@example.com', group: 'crew' },
      ],
      cc: [{ name: 'René', address: 'rene@example.com' }],
      date: '2026-03-14T09:00:00Z',
      ...{ messageId: '<1@example.com>', inReplyTo: '<0@example.com>' },
      references: ['<a@example.com>', '<0@example.com>'],
      text: 'Für die Küche zwei.',
    })
    expect([mail.bcc, mail.html, mail.headers, mail.textIsFromHtml, codes(mail)]).toEqual([
      ...[undefined, undefined, undefined, undefined, []],
    ])
  })

  test('has its attachments as files with safe names', async () => {
    const { attachments, files } = await read(STORY)
    expect(attachments).toEqual([
      { name: 'attachment-1.png', contentType: 'image/png', sizeBytes: 4, isInline: true, contentId: 'logo@x' },
      { name: '€ list.pdf', contentType: 'application/pdf', sizeBytes: 5, isInline: false },
      { name: 'passwd', contentType: 'text/plain', sizeBytes: 4, isInline: false },
      { name: 'attachment-4.eml', contentType: 'message/rfc822', sizeBytes: expect.any(Number), isInline: false },
    ])
    expect(files!.map(({ name, contentType }) => [name, contentType])).toEqual(
      attachments.map(({ name }) => [name, 'application/octet-stream']),
    )
    expect((await read(STORY, { attachments: false })).files).toBeUndefined()
  })

  test('gives HTML and all headers if they are asked for', async () => {
    const { html, headers } = await read(STORY, { html: true, headers: true })
    expect(html).toContain('<b>Küche</b>')
    const named = headers as { name: string; value: string }[]
    expect(named.map(({ name }) => name).slice(0, 3)).toEqual(['Received', 'From', 'To'])
    expect(named.find(({ name }) => name === 'From')!.value).toBe('Jörg Müller <joerg@example.com>')
  })

  test('of HTML alone is read as text', async () => {
    const html = '<style>p{}</style><p>Hi &amp; <b>you</b></p><p><a href="https://x.example/">this</a></p>'
    expect(await read(`Subject: x\r\nContent-Type: text/html\r\n\r\n${html}`)).toMatchObject({
      text: 'Hi & you\n\nthis [https://x.example/]',
      textIsFromHtml: true,
    })
  })

  test('that is long is files', async () => {
    const long = 'a long line of text\n'.repeat(60_000)
    const mail = await read(`Subject: x\n\n${long}`)
    expect([mail.text, mail.output]).toMatchObject([undefined, { contentType: 'text/plain' }])
    const page = await read(`Subject: x\nContent-Type: text/html\n\n<p>x</p><!--${long}-->`, { html: true })
    expect([page.text, page.html, page.htmlOutput]).toMatchObject(['x', undefined, { contentType: 'text/html' }])
  })
})

describe('a charset', () => {
  test.each([
    ['iso-8859-2', 'Łódź', Buffer.from([0xa3, 0xf3, 0x64, 0xbc])],
    ['windows-1251', 'Привет', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])],
    ['gb2312', '你好', Buffer.from([0xc4, 0xe3, 0xba, 0xc3])],
    ['shift_jis', '日本', Buffer.from([0x93, 0xfa, 0x96, 0x7b])],
    ['utf-7-unknown', 'Aa', Buffer.from('Aa')],
  ])('%s is read in subject and text', async (charset, word, bytes) => {
    const head = `Subject: =?${charset}?B?${bytes.toString('base64')}?=\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`
    expect(await readBytes(Buffer.concat([Buffer.from(head), bytes]))).toMatchObject({ subject: word, text: word })
  })

  test('that is not told is guessed, with a warning', async () => {
    const mail = await readBytes(
      Buffer.from('Subject: Grüße aus Köln\r\n\r\nSchöne Grüße, das Wetter ist schön', 'latin1'),
    )
    expect([mail.subject, mail.text]).toEqual(['Grüße aus Köln', 'Schöne Grüße, das Wetter ist schön'])
    expect(codes(mail)).toEqual(['CHARSET_GUESSED'])
  })

  test('of the text is kept where only the headers have none', async () => {
    const head = Buffer.from('Subject: Grüße aus Köln\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n', 'latin1')
    const mail = await readBytes(Buffer.concat([head, Buffer.from('Łódź')]))
    expect([mail.subject, mail.text, codes(mail)]).toEqual(['Grüße aus Köln', 'Łódź', ['CHARSET_GUESSED']])
  })

  test('of two bytes a character is that of the whole file', async () => {
    expect(await readBytes(Buffer.from('\ufeffSubject: Öl\r\n\r\nhi', 'utf16le'))).toMatchObject({
      subject: 'Öl',
      text: 'hi',
    })
  })
})

describe('a broken mail', () => {
  test.each([
    ['cut off', 'Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\none', 'one'],
    ['without the declared parts', 'Subject: x\nContent-Type: multipart/mixed; boundary=b\n\njust text\n', ''],
    ['with a date in words', 'Subject: x\nDate: some day\n\nhi', 'hi'],
    ['with no text', 'Subject: x\n\n', ''],
    ['with bad base64', 'Subject: x\nContent-Transfer-Encoding: base64\n\naGk=!!', 'hi'],
  ])('%s is read as far as it goes', async (_name, source, text) => {
    expect(await read(source)).toMatchObject({ subject: 'x', text })
    expect((await read(source)).date).toBeUndefined()
  })

  test('of a mailbox is its first', async () => {
    const mbox =
      'From a@b Sat Mar 14 10:00:00 2026\nSubject: one\n\nFrom here on\n\nFrom a@b Sat Mar 14 10:00:00 2026\nSubject: two\n\nb\n'
    const mail = await read(mbox)
    expect([mail.subject, mail.text, codes(mail)]).toEqual(['one', 'From here on', ['FIRST_MAIL_ONLY']])
  })

  test.each([
    ['application/pkcs7-mime; name=smime.p7m', 'SEALED_CONTENT'],
    ['application/ms-tnef; name=winmail.dat', 'TNEF_NOT_READ'],
  ])('of %s says that its content is not read', async (type, code) => {
    const mail = await read(`Subject: x\nContent-Type: ${type}\nContent-Transfer-Encoding: base64\n\nAAAA`)
    expect([codes(mail), mail.attachments]).toMatchObject([[code], [{ sizeBytes: 3 }]])
  })

  test('of many attachments gives the first as files', async () => {
    const part = '--b\nContent-Disposition: attachment; filename=..\n\nx\n'
    const mail = await read(`Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n${part.repeat(120)}--b--\n`)
    expect([mail.attachments.length, mail.files!.length, codes(mail)]).toEqual([120, 100, ['ATTACHMENTS_LEFT_OUT']])
    expect(mail.attachments[0]!.name).toBe('attachment-1.txt')
  })
})

test.each([
  ['no mail', 'hello world\nthis is text\n'],
  ['nothing', ''],
  ['headers that no mail has', 'name: x\nversion: 1\n\nhi'],
  ['very many parts', `Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(100_000)}`],
  ['very deep parts', nest(300)],
  ['very long headers', `To: ${'('.repeat(2 ** 20)}\n\nx`],
])('refuses %s', async (_name, text) => {
  await expect(read(text)).rejects.toMatchObject({ code: 'EMAIL_INVALID' })
})

test('refuses a file of Outlook and says what to do', async () => {
  const msg = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)])
  await expect(readBytes(msg)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', hints: { supported: ['eml'] } })
})

function nest(levels: number): string {
  const level = (index: number) => `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}\n`
  return `Subject: x\n${Array.from({ length: levels }, (_, index) => level(index)).join('')}`
}

test.each(['\r\n', '\n'])('gives attached files as they are, in a mail with line ends %j', async end => {
  const part = (encoding: string, name: string, body: string) =>
    `--b${end}Content-Type: text/csv${end}${encoding}Content-Disposition: attachment; filename=${name}${end}${end}${body}${end}`
  const parts = [
    part('', 'a.csv', `a,b${end}1,2`),
    part(`Content-Transfer-Encoding: 8bit${end}`, 'b.csv', `${end}\u00fc${end}${end}`),
    part(`Content-Transfer-Encoding: base64${end}`, 'c.csv', 'eA0K'),
  ]
  const mail = `From: a@example.com${end}Content-Type: multipart/mixed; boundary=b${end}${end}${parts.join('')}--b--${end}`
  const { attachments, files } = await readBytes(Buffer.from(mail))
  expect(attachments.map(({ name, contentType }) => `${name} ${contentType}`)).toEqual(
    ['a', 'b', 'c'].map(name => `${name}.csv text/csv`),
  )
  const bodies = (files as unknown as { bytes: Uint8Array }[]).map(({ bytes }) => Buffer.from(bytes).toString())
  expect(bodies).toEqual([`a,b${end}1,2`, `${end}\u00fc${end}${end}`, 'x\r\n'])
})

test.each(['\r\n', '\n'])('gives mails and calendars within a mail as they are, with line ends %j', async end => {
  const inner = [
    ...['From: b@example.com', 'Subject: in', 'Content-Type: multipart/mixed; boundary="in"', '', '--in', ''],
    ...['deep', '--in', 'Content-Disposition: attachment; filename=d.txt', '', 'x', '--in--', ''],
  ].join(end)
  const calendar = `BEGIN:VCALENDAR${end}END:VCALENDAR${end}${end}`
  const coded = Buffer.from('BEGIN:VCALENDAR\r\nSUMMARY:\u00fc\r\n').toString('base64')
  const part = (head: string[], body: string) => ['--out', ...head, '', `${body}${end}`].join(end)
  const mail = [
    ['From: a@example.com', 'Content-Type: multipart/mixed;', ' boundary="out"', '', 'preamble', ''].join(end),
    part(['Content-Type: message/rfc822', 'Content-Disposition: attachment; filename=m.eml'], inner),
    part(['Content-Type: text/calendar; method=REQUEST'], calendar),
    part(['Content-Type: application/ics; name=i.ics', 'Content-Transfer-Encoding: base64'], coded),
    part(['Content-Type: multipart/digest; boundary=dig'], `--dig${end}${end}${inner}${end}--dig--`),
    part(['Content-Disposition: attachment; filename=e.csv'], `a${end}b`),
    part(['Content-Type: text/plain'], 'the text'),
  ].join('')
  const { attachments, files, text } = await readBytes(Buffer.from(`${mail}--out--${end}`))
  expect(text).toBe('the text')
  expect(attachments.map(({ contentType }) => contentType)).toEqual([
    ...['message/rfc822', 'text/calendar', 'application/ics', 'message/rfc822', 'text/plain'],
  ])
  const bodies = (files as unknown as { bytes: Uint8Array }[]).map(({ bytes }) => Buffer.from(bytes).toString())
  expect(bodies).toEqual([inner, calendar, 'BEGIN:VCALENDAR\r\nSUMMARY:\u00fc\r\n', inner, `a${end}b`])
})
