"""Expressions that test_expressions.py compares with numpy.einsum()."""

ONE = """
a->a a ab->ab ab->ba ab ba ab->a ab->b ab-> a-> ii ii->i ii-> iij->ij iij->i iij->j iij-> iji->j iji->ij jii->j
iii iii->i iii-> iijj->ij iijj->i iijj-> ijij->ij ijji->ij abc->abc abc->acb abc->bac abc->bca abc->cab abc->cba
abc->ab abc->ac abc->cb abc->a abc->b abc->c abc-> abcd->dcba abcd->badc abcd->acbd abcd->db abcd->a abcd->
aab->ba abcba->c aabb->b aabbc->cab abcde->edcba abcde->ace abcde->eb zyx->xyz ZaY BA ba->ab Aa->aA abcdef->fbdeca
""".split()

TWO = """
a,a a,a-> a,a->a a,b a,b->ab a,b->ba a,b->a a,b->b a,b-> ab,b ab,b->a ab,b->b ab,b->ab ab,b->ba ab,b-> ab,a->b
ab,a->a ab,c->abc ab,c->cba ab,c->acb ab,ab ab,ab->ab ab,ab->ba ab,ab-> ab,ab->a ab,ba->ab ab,ba-> ab,bc ab,bc->ac
ab,bc->ca ab,bc->abc ab,bc->b ab,bc->a ab,bc-> ba,bc->ac ab,cb->ac ba,cb->ac ba,cb->ca ab,cd->abcd ab,cd->acbd
ab,cd->dcba ab,cd->ad ab,cd-> abc,abc abc,cba->abc abc,bc->a abc,cb->a abc,c->ab abc,b->ac abc,a->cb abc,bcd->ad
abc,acd->abd abc,acd->adb abc,acd->bda abc,abd->abcd abc,dcb->ad abc,ce->abe abc,ce->eab abc,de->abcde abc,bd->acd
abcd,cd->ab abcd,bd->ac abcd,dcef->abef abcd,cdef->abef abcd,ebfd->aecf abcd,efcd->aebf aebf,dfce->abcd abcd,bcde->ae
ijk,jil->kl ki,jk->ij ji,jk->ik ij,kj->ik ijk,ikl->ijl ijk,ilk->ijl iij,j->i iij,ij->j ii,ij->j ii,ii ii,ii->i
ii,jj ii,jj->ij iij,jkk->ik ij,ii->j aab,bcc->ac aab,bcc->acb abb,bca->c ab,ab->b ab,ac->bc ba,ca->bc abc,ab->c abc,ac->b
,ab ,ab->ab ,ab->ba ab,-> , ,-> a,->a ,a-> abcd,abcd abcd,dcba-> abcd,abcd->ad abcd,ae->ebcd abcd,be->aecd
abcd,ce->abed abcd,de->abce bea,dcb->aecd abcde,ebd->ac abcde,fdb->acef dca,ebd->abce baed,cb->acde zyx,xw->wzy
Ab,bC->AC aB,Bc->ca ZY,YX->XZ ijkl,klmn->ijmn ijkl,jmln->ikmn ijab,abkl->ijkl mnij,abmn->abij ijkl,ij->kl ijkl,ik->jl
""".split()

MANY = """
a,b,c->abc a,b,c->cba a,a,a-> a,a,a->a a,a,a ab,bc,cd->ad ab,bc,cd->da ab,bc,cd-> ab,bc,cd ab,bc,ca-> ab,bc,ca->abc
ab,ab,ab ab,ab,ab->ab ab,ab,c->c ab,ab,c->abc a,ab,b a,ab,b-> a,ab,abc->abc a,ab,abc->c a,ab,cd->abcd ab,b,bc->ac
ab,cd,ef->abcdef ab,cd,ef->acdf ab,cd,de->abce ab,cd,de->be ab,bcd,cd->abcd ab,bcd,cd->abd eb,cb,fb->cef dd,fb,be,cdb->cef
ijk,jl,lk->i ik,jl,ij->kl abc,bd,ce,af->def ab,cd,ef,gh->aceg a,b,c,d->dcba ab,bc,cd,de->ae ab,bc,cd,de-> ab,bc,cd,de,ef->af
a,ac,ab,ad,cd,bd,bc-> acf,jbje,bf,bea->cj acf,jbje,bb,bea-> bdhe,acad,hiab,agac,hibd acdf,jbje,gihb,hfac,gfac,gifabc,hfac
cd,bdhe,aidb,hgca,gc,hgibcd,hgac abc,acd,ade->be abcd,dcba,ab->cd ijk,ilm,njm,nlk,abc-> ab,ab,bc,bc->ac ii,ij,jj->ij
ii,jj,kk->ijk iij,jkk,kll->il ,a,ab->b ,,->  ,,ab->ba a,,b->ab xy,yz,zw->wx ae,bc,ed,db->ac ba,ac,da->bcd cad,cbe->abde
efc,dbc,acf,fd->abe ebc,ebc,ec->b abc,abc,abc->c pi,qj,rk,sl,pqrs->ijkl ea,fb,abcd,gc,hd->efgh eb,cb,fb,ab->cefa
""".split()

# With the number of modes that each ellipsis stands for.
ELLIPSES = [
    (expression, counts)
    for expression, every_count in (
        ("...", [(0,), (1,), (3,)]), ("...->...", [(0,), (2,)]), ("...a", [(0,), (2,)]), ("a...", [(1,), (2,)]),
        ("...a->...", [(1,), (2,)]), ("a...->...", [(1,), (3,)]), ("...a->a...", [(1,), (2,)]),
        ("a...b->...ba", [(0,), (2,)]), ("i...i->...", [(0,), (2,)]), ("...ii->...i", [(0,), (2,)]), ("...ab->ba...", [(2,)]),
        ("...,...", [(1, 1), (2, 1), (0, 2), (3, 3)]), ("...a,...a", [(1, 1), (2, 2)]), ("...a,a", [(1,), (2,)]),
        ("...a,...a->...", [(1, 1), (2, 1), (1, 3)]), ("...ij,...jk->...ik", [(0, 0), (1, 1), (2, 1), (0, 2), (3, 2)]),
        ("...ij,jk", [(1,), (2,)]), ("...ij,jk->...ik", [(2,), (3,)]), ("ki,...k->i...", [(1,), (2,)]),
        ("k...,jk", [(1,), (2,)]), ("...i,...j->...ij", [(1, 1), (2, 2)]), ("a...,b...->ab...", [(1, 1), (1, 2)]),
        ("a...,...b->b...a", [(1, 1), (2, 2)]), ("...a,b...,...->...ab", [(1, 1, 1), (2, 1, 0)]),
        ("...ab,...bc,...cd->...ad", [(1, 1, 1), (2, 1, 0)]), ("a...b,b...->a...", [(1, 1), (2, 2)]),
        ("...ij,...ij->...", [(1, 1), (2, 0)]), ("...b,...b->b...", [(1, 1)]), ("ab...,b", [(2,)]),
        ("...abc,...abcd->d...", [(1, 1), (2, 1)]), (",...a->a...", [(1,)]))
    for counts in every_count]

# Labels by number: terms, and the output or None.
INTERLEAVED = [
    ([[0]], [0]), ([[0]], None), ([[0, 0]], None), ([[0, 0]], [0]), ([[0, 1]], [1, 0]), ([[1, 0]], None), ([[0, 1]], []),
    ([[0, 1], [1, 2]], [0, 2]), ([[0, 1], [1, 2]], None), ([[2, 1], [1, 0]], None), ([[5, 3], [3, 8]], [8, 5]),
    ([[0, 1], [0, 1]], []), ([[0], [1]], None), ([[0], [0]], None), ([[26, 0], [0, 27]], None), ([[51, 26], [26, 25]], None),
    ([[0, 1], [1, 2], [2, 3]], None), ([[0, 1], [1, 2], [2, 3]], [3, 0]), ([[0, 1, 2], [2, 1, 3]], [0, 3]),
    ([[..., 0]], [...]), ([[0, ...]], [..., 0]), ([[..., 0], [0, 1]], None), ([[..., 0, 1], [..., 1, 2]], [..., 0, 2]),
    ([[0, ..., 1]], [1, ..., 0]), ([[...], [...]], None), ([[..., 0], [..., 0]], [...]), ([[], [0, 1]], None), ([[], []], []),
    ([[7, 7, 3]], [3]), ([[30, 2], [2, 30]], []), ([[0, 1], [2, 3]], [3, 1, 2, 0]), ([[10, 11], [11, 12]], [12, 11, 10])]
