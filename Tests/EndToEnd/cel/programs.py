"""Writes random expressions with known types, some wrong on purpose."""

import random

R = random.Random()


def c(*a): return R.choice(a)
INT=['0','1','2','3','-1','-2','7','10','100','9223372036854775807','-9223372036854775808','64','-64']
UINT=['0u','1u','2u','3u','10u','18446744073709551615u','9223372036854775808u']
DBL=['0.0','1.0','1.5','-1.5','2.0','3.7','-0.0','1e300','-2.5','0.1','1e19','9223372036854775808.0','(0.0/0.0)','(1.0/0.0)','1e-7','123456789.125','1e16','1e17', '0.5']
STR=["''","'a'","'abc'","'b'","'héllo'","'1'","'-5'","'1.5'","'true'","'日本語'","'a,b,c'","' x '","'ABC'","'\\n'","'1h'","'2009-02-13T23:31:30Z'", "'1e3'", "'9223372036854775808'", "'t'", "'%s %d'", "'%.2f'", "'😀x'"]
BYT=["b''","b'abc'","b'\\xff'","b'a'", "b'h\\xc3\\xa9'"]
TS=["timestamp('2009-02-13T23:31:30Z')","timestamp('1970-01-01T00:00:00Z')","timestamp('9999-12-31T23:59:59.999999Z')","timestamp('0001-01-01T00:00:00Z')","timestamp('2024-02-29T12:00:00.5Z')","timestamp(1234567890)", "timestamp('2009-02-13T23:31:30+02:30')"]
DUR=["duration('1h')","duration('-1.5s')","duration('0s')","duration('1h30m')","duration('100ms')","duration('1000000h')", "duration('3723.004005s')"]
def lit(t):
    return R.choice({'int':INT,'uint':UINT,'double':DBL,'string':STR,'bytes':BYT,'bool':['true','false'],'ts':TS,'dur':DUR,'null':['null']}[t])
T=['int','uint','double','string','bytes','bool','ts','dur','list','map']
def scal(): return c('int','int','int','uint','double','string','bool')
names=[]
def g(t,d):
    if d<=0 and t in('list','map'): return '[]' if t=='list' else '{}'
    if d<=0: 
        if names and R.random()<.4: return names[-1]
        return lit(t)
    if R.random()<.03: t=c(*T)          # wrong type
    if R.random()<.06: return 'dyn('+g(t,d-1)+')'
    if R.random()<.06: return g('bool',d-1)+' ? '+g(t,d-1)+' : '+g(t,d-1)
    if names and R.random()<.15: return R.choice(names)
    r=R.random
    E=lambda x:g(x,d-1)
    P=lambda x:'('+g(x,d-1)+')'
    L=lambda:lst(d)
    if t=='int':
        k=R.randrange(24)
        if k<6: return P('int')+c('+','-','*','/','%')+P('int')
        if k==6: return 'int('+E(scal())+')'
        if k==7: return 'size('+E(c('string','bytes','list','map'))+')'
        if k==8: return '-'+P('int')
        if k==9: return P('string')+'.indexOf('+E('string')+')'
        if k==10: return P('string')+'.lastIndexOf('+E('string')+(','+E('int') if r()<.3 else '')+')'
        if k==11: return P('ts')+'.'+c('getFullYear','getMonth','getDayOfYear','getDayOfMonth','getDate','getDayOfWeek','getHours','getMinutes','getSeconds','getMilliseconds')+'('+c('','',"'+05:30'","'-08:00'","'UTC'")+')'
        if k==12: return P('dur')+'.'+c('getHours','getMinutes','getSeconds','getMilliseconds')+'()'
        if k==13: return P('list')+'['+E('int')+']'
        if k==14: return 'math.'+c('abs','sign','bitNot')+'('+E('int')+')'
        if k==15: return 'math.'+c('bitAnd','bitOr','bitXor','bitShiftLeft','bitShiftRight')+'('+E('int')+','+E('int')+')'
        if k==16: return 'math.'+c('greatest','least')+'('+E('int')+','+E('int')+')'
        if k==17: return 'int('+E('ts')+')'
        if k==18: return P('map')+'['+E('string')+']'
        if k==19: return P('map')+'.a'
        if k==20: return P('string')+'.size()'
        if k==21: return 'cel.bind(v'+str(d)+', '+E('int')+', '+bindbody(d,'int')+')'
        return lit('int')
    if t=='uint':
        k=R.randrange(8)
        if k<3: return P('uint')+c('+','-','*','/','%')+P('uint')
        if k==3: return 'uint('+E(scal())+')'
        if k==4: return 'math.'+c('bitAnd','bitOr','bitXor')+'('+E('uint')+','+E('uint')+')'
        if k==5: return 'math.'+c('bitShiftLeft','bitShiftRight')+'('+E('uint')+','+E('int')+')'
        return lit('uint')
    if t=='double':
        k=R.randrange(10)
        if k<3: return P('double')+c('+','-','*','/')+P('double')
        if k==3: return 'double('+E(scal())+')'
        if k==4: return 'math.'+c('ceil','floor','round','trunc','abs','sign','sqrt')+'('+E('double')+')'
        if k==5: return 'math.'+c('greatest','least')+'('+E('double')+','+E(c('double','int','uint'))+')'
        if k==6: return '-'+P('double')
        return lit('double')
    if t=='string':
        k=R.randrange(22)
        if k<4: return P('string')+'+'+P('string')
        if k==4: return 'string('+E(c('int','uint','double','string','bytes','bool','ts','dur'))+')'
        if k==5: return P('string')+'.'+c('lowerAscii','upperAscii','trim','reverse')+'()'
        if k==6: return P('string')+'.replace('+E('string')+','+E('string')+(','+E('int') if r()<.3 else '')+')'
        if k==7: return P('string')+'.substring('+c('0','1','2',E('int'))+(','+c('1','2','3',E('int')) if r()<.5 else '')+')'
        if k==8: return P('string')+'.charAt('+c('0','1',E('int'))+')'
        if k==9: return '['+','.join(E('string') for _ in range(R.randrange(4)))+'].join('+(E('string') if r()<.5 else '')+')'
        if k==10: return 'strings.quote('+E('string')+')'
        if k==11: return c("'%s'","'%s|%s'","'%d'","'%.2f'","'%e'","'%x'","'%X'","'%b'","'%o'","'%s %d'","'%.1e'","'%.0f'","'%%%s'")+'.format(['+','.join(E(c('int','double','string','uint','list','map','bool','bytes','ts','dur')) for _ in range(c(1,1,1,2)))+'])'
        if k==12: return 'base64.encode('+E('bytes')+')'
        return lit('string')
    if t=='bytes':
        k=R.randrange(5)
        if k==0: return P('bytes')+'+'+P('bytes')
        if k==1: return 'bytes('+E('string')+')'
        if k==2: return 'base64.decode('+c(E('string'),"'aGVsbG8'","'aGVsbG8='","'!!'")+')'
        return lit('bytes')
    if t=='bool':
        k=R.randrange(24)
        if k<3: return P('bool')+c(' && ',' || ')+P('bool')
        if k==3: return '!'+P('bool')
        if k<7:
            x=c(*T); y=x if r()<.9 else c(*T); return P(x)+c('==','!=')+P(y)
        if k<10:
            x=c('int','uint','double','string','bytes','bool','ts','dur'); y=x if r()<.9 else c(*T); return P(x)+c('<','<=','>','>=')+P(y)
        if k<12: x=scal(); return 'dyn('+E(x)+')'+c('==','!=','<','<=','>','>=')+'dyn('+E(c('int','uint','double'))+')'
        if k==12: return P(scal())+' in '+P(c('list','map'))
        if k==13: return P('string')+'.'+c('contains','startsWith','endsWith')+'('+E('string')+')'
        if k==14: return 'has('+P('map')+'.'+c('a','b','c')+')'
        if k<18: return macro(d)
        if k==18: return 'bool('+E('string')+')'
        if k==19: return 'math.'+c('isNaN','isInf','isFinite')+'('+E('double')+')'
        if k==20: return 'type('+E(c(*T))+') == '+c('int','uint','double','string','list','map','bool','bytes','type('+E(c(*T))+')')
        if k==21: return P('map')+'.?'+c('a','b')+'.hasValue()'
        return lit('bool')
    if t=='ts':
        k=R.randrange(6)
        if k<2: return P('ts')+c('+','-')+P('dur')
        if k==2: return 'timestamp('+E(c('string','int'))+')'
        return lit('ts')
    if t=='dur':
        k=R.randrange(7)
        if k==0: return P('ts')+'-'+P('ts')
        if k==1: return P('dur')+c('+','-')+P('dur')
        if k==2: return 'duration('+E('string')+')'
        return lit('dur')
    if t=='list': return lst(d)
    if t=='map':
        k=R.randrange(4)
        if k==0: return '{'+','.join(c("'a'","'b'","'c'")+':'+E(scal()) for _ in range(R.randrange(3)))+'}'
        if k==1: return '{'+','.join(c('1','2',"'a'",'3u',E('int'))+':'+E('int') for _ in range(R.randrange(3)))+'}'
        if k==2: return '{'+','.join(c('?','')+c("'a'","'b'","'c'")+':'+c('optional.none()','optional.of('+E('int')+')',E('int')) for _ in range(R.randrange(3)))+'}'
        return c("{}","{'a':1}","{'a':1,'b':2}","{'a':{'b':'x'}}","{1:'a',2:'b'}")
def bindbody(d,t):
    names.append('v'+str(d)); s=g(t,d-1); names.pop(); return s
def body(t,d):
    names.append('x'); s=g(t,d-1); names.pop(); return s
def macro(d):
    return '('+g(c('list','list','list','map'),d-1)+').'+c('all','exists','exists_one')+'(x, '+c(body('bool',d), 'x '+c('<','>','==','!=')+' '+body('int',d), '10 / x > 2')+')'
def lst(d):
    k=R.randrange(9)
    e=scal()
    if k<3: return '['+', '.join(g(e,d-1) for _ in range(R.randrange(4)))+']'
    if k==3: return '('+lst(d-1)+') + ('+lst(d-1)+')' if d>0 else '[]'
    if k==4: return '('+g(c('list','map'),d-1)+').map(x, '+body(c(*T),d)+')'
    if k==5: return '('+g(c('list','map'),d-1)+').filter(x, '+body('bool',d)+')'
    if k==6: return '('+g('string',d-1)+').split('+g('string',d-1)+(','+c('0','1','2','-1') if R.random()<.3 else '')+')'
    if k==7: return '['+', '.join(c('','','?')+c('optional.of('+g(e,d-1)+')',g(e,d-1)) for _ in range(R.randrange(4)))+']'
    return c('[1,2,3]','[1,2.0,3u]',"['a','b']",'[[1],[2]]','[true,false]')


def write(seed: int, count: int):
    """`count` expressions, always the same ones for a seed."""
    R.seed(seed)
    names.clear()
    for _ in range(count):
        source = g(c(*T), R.randrange(1, 5))
        if len(source) < 400:
            yield source
