import { expect, test } from 'vitest'
import { decodeSubtitles } from '../../../tasks/formats/subtitles/charset.ts'
import { PYTHON, runProgram } from '../../support/machine/programs.ts'

const TEXTS: [encoding: string, text: string][] = [
  ['windows-1252', 'Où êtes-vous ? Ça va très bien, merci.\nFür die Größe, ¿qué pasó, señor?'],
  ['windows-1250', 'Zażółć gęślą jaźń. Příliš žluťoučký kůň úpěl ďábelské ódy.'],
  ['windows-1254', 'Bugün hava çok güzel, değil mi? Işık söndü, şimdi gidiyoruz.'],
  ['windows-1251', 'Привет, как дела? Я не знаю, что сказать.'],
  ['koi8-r', 'Привет, как дела? Я не знаю, что сказать.'],
  ['windows-1253', 'Καλημέρα, τι κάνεις; Δεν ξέρω τι να πω.'],
  ['windows-1255', 'שלום, מה שלומך היום? אני לא יודע.'],
  ['windows-1256', 'السلام عليكم، كيف حالك اليوم؟'],
  ['cp874', 'สวัสดีครับ วันนี้เป็นอย่างไรบ้าง'],
  ['gbk', '你好,今天天气怎么样?我不知道该说什么。'],
  ['big5', '你好,今天天氣怎麼樣?我不知道該說什麼。'],
  ['shift_jis', 'こんにちは、お元気ですか。今日は天気がいいですね。'],
  ['euc-jp', 'こんにちは、お元気ですか。今日は天気がいいですね。'],
  ['euc-kr', '안녕하세요, 오늘 날씨가 어때요? 저는 잘 모르겠어요.'],
  ['utf-16-le', 'Hello'],
  ['utf-16-be', '안녕'],
]
const SCRIPT =
  'import sys,json,base64; print(json.dumps([base64.b64encode(t.encode(e)).decode() for e,t in json.load(sys.stdin)]))'

test('the encoding of subtitles is found from what they would be in it, and named', () => {
  const cues = TEXTS.map(([encoding, text]) => [encoding, `1\n00:00:01,000 --> 00:00:02,500\n${text}\n\n`] as const)
  const encoded: string[] = JSON.parse(runProgram(PYTHON, ['-c', SCRIPT], Buffer.from(JSON.stringify(cues))))
  for (const [index, [encoding, text]] of cues.entries()) {
    const { text: read, warnings } = decodeSubtitles(Buffer.from(encoded[index]!, 'base64'), 'auto')
    expect([encoding, read]).toEqual([encoding, text])
    expect(warnings.map(({ code }) => code)).toEqual(encoding.startsWith('utf') ? [] : ['CHARSET_GUESSED'])
  }
  expect(decodeSubtitles(Buffer.from(encoded[0]!, 'base64'), 'windows-1251').text).toContain('Oщ')
  expect(() => decodeSubtitles(Buffer.from(encoded[0]!, 'base64'), 'utf-8')).toThrow('cannot be read as subtitles')
})
