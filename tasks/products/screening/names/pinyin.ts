/**
 * The first character of each syllable when Chinese characters are sorted by their reading, which ICU can do. So the reading of
 * a character is that of the last one before it.
 */
const STARTS: readonly string[] = [
  ...'a吖 ai哎 an安 ang肮 ao凹 ba丷 bai挀 ban扳 bang邦 bao勹 bei卑 ben奔 beng伻 bi屄 bian边 biao灬 bie憋 bin汃 bing冫 bo癶 bu峬 ca嚓'.split(
    ' ',
  ),
  ...'cai偲 can参 cang仓 cao撡 ce冊 cen嵾 ceng曽 cha叉 chai芆 chan辿 chang伥 chao抄 che车 chen抻 cheng阷 chi吃 chong充 chou抽 chu出'.split(
    ' ',
  ),
  ...'chua歘 chuai揣 chuan巛 chuang刅 chui吹 chun旾 chuo逴 ci呲 cong匆 cou凑 cu粗 cuan汆 cui崔 cun邨 cuo搓 da咑 dai呆 dan丹 dang当'.split(
    ' ',
  ),
  ...'dao刀 de嘚 deng灯 di氐 dian敁 diao刁 die爹 ding丁 diu丟 dong东 dou吺 du厾 duan耑 dui垖 dun吨 duo多 e妸 en奀 er儿 fa发 fan帆 fang匚'.split(
    ' ',
  ),
  ...'fei飞 fen分 feng丰 fo仏 fou紑 fu夫 fu抚 ga旮 gai侅 gan甘 gang冈 gao皋 ge戈 gei给 gen根 geng刯 gong工 gou勾 gu估 gua瓜 guai乖'.split(
    ' ',
  ),
  ...'guan关 guang光 gui归 gun丨 guo呙 ha哈 hai咍 han佄 hang夯 hao茠 he诃 hei黒 hen拫 heng亨 hong叿 hou齁 hu乎 hua花 huai怀 huan欢'.split(
    ' ',
  ),
  ...'huang巟 hui灰 hun昏 huo吙 ji丌 jia加 jian戋 jiang江 jiao艽 jie阶 jin巾 jing坕 jiong冂 jiu丩 ju凥 juan姢 jue噘 jun军 ka咔 kai开'.split(
    ' ',
  ),
  ...'kan刊 kang忼 kao尻 ke匼 kei剋 ken肎 keng劥 kong空 kou抠 ku扝 kua夸 kuai蒯 kuan宽 kuang匡 kui亏 kun坤 kuo扩 la垃 lai来 lan兰'.split(
    ' ',
  ),
  ...'lang啷 lao捞 le仂 lei勒 leng崚 li哩 lia俩 lian奁 liang良 liao撩 lie毟 lin拎 ling伶 liu溜 long龙 lou瞜 lu噜 luan娈 lue掠 lun抡'.split(
    ' ',
  ),
  ...'luo啰 ma妈 mai埋 man嫚 mang牤 mao猫 me嚒 mei呅 men椚 meng擝 mi咪 mian宀 miao喵 mie乜 min民 ming名 miu谬 mo摸 mou哞 mu毪 na拏 nai腉'.split(
    ' ',
  ),
  ...'nan囡 nang囔 nao孬 ne疒 nei娞 nen恁 neng能 ni妮 nian拈 niang娘 niao鸟 nie捏 nin囜 ning宁 niu妞 nong农 nu奴 nuan奻 nue疟 nun黁'.split(
    ' ',
  ),
  ...'nuo郍 o喔 ou讴 pa妑 pai拍 pan眅 pang乓 pao抛 pei呸 pen喷 peng匉 pi丕 pian囨 piao剽 pie氕 pin姘 ping乒 po钋 pou剖 pu仆 qi七 qia掐'.split(
    ' ',
  ),
  ...'qian千 qiang呛 qiao悄 qie苆 qin亲 qing靑 qiong卭 qiu丘 qu区 quan奍 que炔 qun夋 ran呥 rang穣 rao娆 re惹 ren人 reng扔 ri日 rong戎'.split(
    ' ',
  ),
  ...'rou厹 ru邚 rua挼 ruan堧 rui婑 run瞤 ruo捼 sa仨 sai毢 san三 sang桒 sao掻 se閪 sen森 seng僧 sha杀 shai筛 shan山 shang伤 shao弰'.split(
    ' ',
  ),
  ...'she奢 shei谁 shen申 sheng升 shi尸 shou収 shu书 shua刷 shuai衰 shuan闩 shuang双 shui脽 shun吮 shuo说 si厶 song忪 sou凁 su苏'.split(
    ' ',
  ),
  ...'suan狻 sui夊 sun孙 suo唆 ta他 tai囼 tan坍 tang汤 tao夲 te忑 teng熥 ti剔 tian天 tiao旫 tie帖 ting厅 tong囲 tou偷 tu凸 tuan湍 tui推'.split(
    ' ',
  ),
  ...'tun吞 tuo乇 wa屲 wai歪 wan弯 wang尢 wei危 wen昷 weng翁 wo挝 wu乌 xi夕 xia呷 xian仙 xiang乡 xiao灱 xie些 xin心 xing星 xiong凶'.split(
    ' ',
  ),
  ...'xiu休 xu吁 xuan吅 xue削 xun坃 ya丫 yan恹 yang央 yao幺 ye倻 yi一 yin囙 ying应 yong佣 you优 yu込 yuan囦 yue曰 yun晕 za帀 zai災 zan兂'.split(
    ' ',
  ),
  ...'zang匨 zao傮 ze则 zei贼 zen怎 zeng増 zha扎 zhai夈 zhan枬 zhang张 zhao佋 zhe蜇 zhen贞 zheng凧 zhi之 zhong中 zhou州 zhu朱 zhua抓'.split(
    ' ',
  ),
  ...'zhuai跩 zhuan专 zhuang妆 zhui隹 zhun宒 zhuo拙 zi乲 zong宗 zou邹 zu租 zuan钻 zui厜 zun尊 zuo嘬'.split(' '),
]
const SYLLABLES = STARTS.map(start => start.slice(0, -1))
const FIRST_CHARACTERS = STARTS.map(start => start.slice(-1))
const byReading = new Intl.Collator('zh-u-co-pinyin')

/** Characters whose reading as a surname is another one. */
const SURNAMES: Readonly<Record<string, string>> = {
  ...{
    单: 'shan',
    單: 'shan',
    解: 'xie',
    仇: 'qiu',
    曾: 'zeng',
    区: 'ou',
    區: 'ou',
    查: 'zha',
    朴: 'piao',
    任: 'ren',
    华: 'hua',
  },
  ...{
    葛: 'ge',
    盖: 'ge',
    乐: 'yue',
    樂: 'yue',
    尉: 'wei',
    种: 'chong',
    洗: 'xian',
    冼: 'xian',
    缪: 'miao',
    燕: 'yan',
    覃: 'qin',
  },
}
const DOUBLE_SURNAMES = new Set([
  ...[
    '欧阳',
    '歐陽',
    '司马',
    '司馬',
    '上官',
    '诸葛',
    '諸葛',
    '东方',
    '東方',
    '皇甫',
    '尉迟',
    '公孙',
    '慕容',
    '司徒',
    '夏侯',
    '令狐',
    '端木',
  ],
])

/** A word of Chinese characters in pinyin without tones. One of a person is the surname and the given name. */
export function romaniseHan(word: string): string[] {
  const characters = [...word]
  const { length } = characters
  if (length < 2 || length > 4) return characters.map(readCharacter)
  const surnameLength = length > 2 && DOUBLE_SURNAMES.has(word.slice(0, 2)) ? 2 : 1
  const surname = characters.slice(0, surnameLength)
  const first =
    surnameLength === 1 ? (SURNAMES[surname[0]!] ?? readCharacter(surname[0]!)) : surname.map(readCharacter).join('')
  return [first, characters.slice(surnameLength).map(readCharacter).join('')]
}

function readCharacter(character: string): string {
  let [low, high] = [0, FIRST_CHARACTERS.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (byReading.compare(FIRST_CHARACTERS[middle]!, character) <= 0) low = middle
    else high = middle - 1
  }
  return SYLLABLES[low]!
}
