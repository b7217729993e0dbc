#compdef watari
# zsh completion of watari, written by `watari completion zsh`

_watari_words() { # words that may follow these words
    case $1 in
@BRANCHES@
    esac
}

_watari() {
    local current=$words[CURRENT] before=$words[CURRENT-1] list
    if ((CURRENT == 2)); then
        compadd -- ${=$(_watari_words '')}
        return
    fi
    list=$(_watari_words "$words[2] $before")
    if [[ $before == --* && -n $list ]]; then
        compadd -- ${=list}
        [[ $before == --(plan|machine) ]] && _files
        return
    fi
    if [[ $words[2] == (run|predict|advise) && $current == *=* ]]; then
        list=$(_watari_words "run $words[3] ${current%%=*}=")
        compset -P '*[=,]'
        if [[ -n $list ]]; then compadd -- ${=list}; else _files; fi
        return
    fi
    list=''
    if ((CURRENT > 3)) && [[ $words[3] != -* ]]; then
        list=$(_watari_words "$words[2] $words[3]")
    fi
    [[ -n $list ]] || list=$(_watari_words "$words[2]")
    local -a axes others
    axes=(${(M)${=list}:#*=})
    others=(${${=list}:#*=})
    (($#axes)) && compadd -S '' -- $axes
    (($#others)) && compadd -- $others
    [[ $words[2] == (run|list) && CURRENT -eq 3 ]] || _files
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _watari "$@"
else
    compdef _watari watari
fi
